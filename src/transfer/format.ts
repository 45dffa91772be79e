export const FORMATS = ['csv', 'ndjson', 'json'] as const;

export type Format = (typeof FORMATS)[number];

const ENDINGS: Record<string, Format> = { csv: 'csv', tsv: 'csv', ndjson: 'ndjson', jsonl: 'ndjson', json: 'json' };

/** By the ending of a file's name, before `.gz`. */
export function formatOf(file: string): Format | undefined {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1] ?? '';
  return ENDINGS[ending.toLowerCase()];
}
