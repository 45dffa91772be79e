import { InvalidValue, readText } from './environment';

const LINE = /^(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/;
/** A value in quotes, which may be followed by a comment. */
const QUOTED = /^(["'`])((?:(?!\1).)*)\1(?:\s+#.*)?$/;
const UNCLOSED = /^(["'`])(?:(?!\1).)*$/;
/** Shells and other parsers disagree on whether this # begins a comment. */
const AMBIGUOUS = /(?:^|\s)#/;

/**
 * Reads a file of `NAME=value` lines. Unlike `util.parseEnv`, never silently ignores or cuts anything, and keeps a literal `\n`.
 * @throws InvalidValue with a message that completes `<file> …` and contains no value
 */
export function readEnvFile(path: string): Record<string, string> {
  const lines = readText(path).split(/\r\n?|\n/);
  return Object.fromEntries(lines.flatMap((line, index) => parseLine(line.trim(), index + 1)));
}

function parseLine(line: string, number: number): [name: string, value: string][] {
  if (line === '' || line.startsWith('#')) return [];
  const invalid = (problem: string) => new InvalidValue(`has an invalid line ${number}: ${problem}`);
  const [, name, value] = LINE.exec(line) ?? [];
  if (name === undefined) throw invalid('it must be NAME=value, empty, or a comment that begins with #.');
  const quoted = QUOTED.exec(value);
  if (quoted) return [[name, quoted[2]]];
  if (UNCLOSED.test(value)) throw invalid('its value has no closing quote.');
  if (AMBIGUOUS.test(value)) throw invalid('quote the value if # belongs to it; otherwise give the comment a line of its own.');
  return [[name, value]];
}
