import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transformFileSync } from '@swc/core';
import COMPILER from '../jest/compiler.cjs';

const ROOT = join(__dirname, '../../..');
const COPIED = [
  'src',
  'test',
  'client/src', // which a test uses
  'docs',
  'ormconfig.ts',
  'package.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'jest.config.cjs',
];

/** A file that a recipe names, and the block of code below its name. */
interface Block {
  file: string;
  language: 'ts' | 'diff';
  content: string;
}

interface Ending {
  code: number;
  stdout: string;
  stderr: string;
}

/** A copy of this project for a test to change. */
export class ProjectCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'frontdesk-copy-'));
  readonly serverScript = join(this.folder, 'dist', 'src', 'main.js');

  constructor() {
    for (const name of COPIED) cpSync(join(ROOT, name), join(this.folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Applies the code blocks of a page of docs/extend/, and returns the files that it names. */
  follow(page: string): string[] {
    const blocks = blocksOf(page);
    for (const { file, language, content } of blocks) {
      const path = join(this.folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, language === 'ts' ? content : changed(file, readFileSync(path, 'utf8'), content));
    }
    return blocks.map(({ file }) => file);
  }

  /** Compiles without types, as jest does: one second instead of twenty. */
  build(): void {
    const sources = [
      'ormconfig.ts',
      ...readdirSync(join(this.folder, 'src'), { recursive: true }).map((name) => join('src', String(name))),
    ];
    for (const source of sources.filter((name) => /(?<!\.spec)\.ts$/.test(name))) {
      const target = join(this.folder, 'dist', source.replace(/ts$/, 'js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, transformFileSync(join(this.folder, source), COMPILER).code);
    }
    cpSync(join(this.folder, 'package.json'), join(this.folder, 'dist', 'package.json'));
  }

  /** Runs a script of the copy with Node. An undefined variable is removed from the environment. */
  async run(script: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ending> {
    const options = { cwd: this.folder, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
    try {
      return { code: 0, ...(await promisify(execFile)(process.execPath, [join(this.folder, script), ...args], options)) };
    } catch (error) {
      const { code, stdout, stderr } = error as Ending;
      return { code, stdout, stderr };
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function blocksOf(page: string): Block[] {
  const found = readFileSync(join(ROOT, 'docs', 'extend', page), 'utf8').matchAll(/^`([\w./-]+)`:\n\n```(ts|diff)\n(.*?)^```$/gms);
  return [...found].map(([, file, language, content]) => ({ file, language, content }) as Block);
}

/**
 * In each hunk, the lines with a space or a minus are replaced by those with a space or a plus. Added lines that already
 * exist stay: a project that has followed the page runs this test, too.
 */
function changed(file: string, text: string, diff: string): string {
  return diff.split('@@\n').reduce((before, hunk) => {
    const lines = hunk.split('\n').filter(Boolean);
    const linesWith = (signs: string) => lines.filter(([sign]) => signs.includes(sign)).map((line) => `${line.slice(1)}\n`);
    const [old, fresh] = [linesWith(' -').join(''), linesWith(' +').join('')];
    if (lines.every((line) => line[0] !== '+' || before.includes(`${line.slice(1)}\n`))) return before;
    if (before.split(old).length !== 2) throw new Error(`The page changes lines that ${file} doesn't have just once:\n${old}`);
    return before.replace(old, () => fresh);
  }, text);
}
