export const FORMATS = ['csv', 'ndjson', 'json'] as const;

export type Format = (typeof FORMATS)[number];

const EXTENSIONS: Record<string, Format> = { csv: 'csv', tsv: 'csv', ndjson: 'ndjson', jsonl: 'ndjson', json: 'json' };

/** The format for a file's extension, ignoring `.gz`. */
export function formatOf(file: string): Format | undefined {
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1] ?? '';
  return EXTENSIONS[extension.toLowerCase()];
}

/** Default file for bad records: `agenda.csv.gz` → `agenda.bad.csv`, `agenda.txt` → `agenda.txt.bad.csv`. */
export function badFileName(file: string, format: Format): string {
  const base = file.replace(/\.gz$/i, '');
  return `${formatOf(base) ? base.replace(/\.[a-z]+$/i, '') : base}.bad.${format}`;
}
