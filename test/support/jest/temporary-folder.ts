import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface TemporaryFolder {
  /** The path of a file, which need not exist, or of the folder. */
  readonly path: (name?: string) => string;
  /** Writes a file and returns its path. */
  readonly file: (name: string, content: string) => string;
}

/** A folder for the tests of a file or of a `describe`, removed after the last. */
export function useTemporaryFolder(): TemporaryFolder {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'frontdesk-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = (name = '') => join(folder, name);
  const file = (name: string, content: string) => {
    writeFileSync(path(name), content);
    return path(name);
  };
  return { path, file };
}
