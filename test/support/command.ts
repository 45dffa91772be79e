import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CLI_SCRIPT } from './build';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built command line with this environment and no other. */
export async function runCommand(env: Record<string, string | undefined>, ...argv: string[]): Promise<Outcome> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [CLI_SCRIPT, ...argv], { env: { ...env } })) };
  } catch (error) {
    return error as Outcome;
  }
}
