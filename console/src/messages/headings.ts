import type { Schemas } from '../api/api';
import { visible } from '../language/language';

const MAX_LENGTH = 100;

/** The heading of a message: its title, or the beginning of its text. */
export function headingOf({ title, text }: Pick<Schemas['MessageRecord'], 'title' | 'text'>): string {
  const heading = visible(title || (text.split('\n').find((line) => line.trim() !== '') ?? text));
  const characters = [...heading];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : heading;
}
