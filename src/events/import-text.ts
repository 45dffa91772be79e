import type { EventText } from '../database/events/event-text';

/** What people are told of an import. */
export function describeImport({ collection, inserted, updated, bad }: Readonly<Record<string, unknown>>): EventText {
  const counts = `${Number(inserted)} inserted, ${Number(updated)} updated, ${Number(bad)} bad`;
  return { title: 'Import completed', text: `Records of ${String(collection)} were imported: ${counts}.` };
}
