import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { runCommandLine } from '../../../src/programs/commands/command-line';
import { CLI_SCRIPT } from '../jest/build';

type Environment = Record<string, string | undefined>;

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Thrown in place of process.exit(); later output is not the command's. */
class Exit extends Error {}

interface Surroundings {
  /** The working directory. */
  folder?: string;
  /** Standard input. */
  input?: string | Buffer;
  /** Filled while the command runs. */
  outcome?: Outcome;
}

/** Runs a command in this process as `npm run frontdesk` does, with only this environment. */
export async function runCommand(
  env: Environment,
  argv: string[],
  { folder = tmpdir(), input = '', outcome = { code: 0, stdout: '', stderr: '' } }: Surroundings = {},
): Promise<Outcome> {
  let hasExited = false;
  const collect = (name: 'stdout' | 'stderr') =>
    jest.spyOn(process[name], 'write').mockImplementation((chunk, encodingOrDone, done?: (error?: Error) => void) => {
      if (!hasExited) outcome[name] += String(chunk);
      (typeof encodingOrDone === 'function' ? encodingOrDone : done)?.();
      return true;
    });
  const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
    hasExited = true;
    outcome.code = Number(code ?? 0);
    throw new Exit();
  });
  const stdin = jest.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(input)]) as never);
  const environment = jest.replaceProperty(process, 'env', { ...env });
  const [before, exitCode] = [process.cwd(), process.exitCode];
  const output = [collect('stdout'), collect('stderr')];
  process.chdir(folder);
  try {
    await runCommandLine(['node', 'frontdesk', ...argv]);
    if (!hasExited) outcome.code = Number(process.exitCode ?? 0);
  } finally {
    process.chdir(before);
    process.exitCode = exitCode;
    for (const replaced of [...output, exit, stdin]) replaced.mockRestore();
    environment.restore();
  }
  return outcome;
}

/** Runs the built command line as a process, which takes a second: only for what needs one. */
export function runProcess(env: Environment, ...argv: string[]): Promise<Outcome> {
  return runFile(env, process.execPath, [CLI_SCRIPT, ...argv]);
}

/** Redirections for `runRedirected`: a pipe without a reader, and a full disk. */
export const CLOSED = '>&3';
export const FULL = '>/dev/full';

/** As `runProcess`, with its output redirected by a shell. */
export function runRedirected(env: Environment, redirection: string, ...argv: string[]): Promise<Outcome> {
  const script = `exec 3> >(:); wait $!; "$@" ${redirection}`;
  return runFile({ PATH: process.env.PATH, ...env }, 'bash', ['--norc', '-c', script, 'bash', process.execPath, CLI_SCRIPT, ...argv]);
}

async function runFile(env: Environment, file: string, argv: string[]): Promise<Outcome> {
  try {
    return { code: 0, ...(await promisify(execFile)(file, argv, { env: { ...env } })) };
  } catch (error) {
    return error as Outcome;
  }
}
