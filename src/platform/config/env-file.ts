import { InvalidValue, readText } from './environment';

const NAME_AND_VALUE = /^(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/;
/** A value in quotes, which may be followed by a comment. */
const QUOTED_VALUE = /^(["'`])((?:(?!\1).)*)\1(?:\s+#.*)?$/;
const UNCLOSED_QUOTE = /^(["'`])(?:(?!\1).)*$/;
/** Shells and other parsers disagree on whether this # begins a comment. */
const AMBIGUOUS_COMMENT = /(?:^|\s)#/;

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
  const [, name, value] = NAME_AND_VALUE.exec(line) ?? [];
  if (name === undefined) throw invalid('it must be NAME=value, empty, or a comment that begins with #.');
  const quoted = QUOTED_VALUE.exec(value);
  if (quoted) return [[name, quoted[2]]];
  if (UNCLOSED_QUOTE.test(value)) throw invalid('its value has no closing quote.');
  if (AMBIGUOUS_COMMENT.test(value)) throw invalid('quote the value if # belongs to it; otherwise give the comment a line of its own.');
  return [[name, value]];
}
