export const FORMATS = ['csv', 'ndjson', 'json'] as const;

export type Format = (typeof FORMATS)[number];

const ENDINGS: Record<string, Format> = { csv: 'csv', tsv: 'csv', ndjson: 'ndjson', jsonl: 'ndjson', json: 'json' };

/** Where the bad records of a file go: `agenda.csv.gz` → `agenda.bad.csv`, `agenda.txt` → `agenda.txt.bad.csv`. */
export function badNameOf(file: string, format: Format): string {
  const base = file.replace(/\.gz$/i, '');
  return `${formatOf(base) ? base.replace(/\.[a-z]+$/i, '') : base}.bad.${format}`;
}

/** By the ending of a file's name, before `.gz`. */
export function formatOf(file: string): Format | undefined {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1] ?? '';
  return ENDINGS[ending.toLowerCase()];
}
