import type { Texts } from './en';

const LOADERS = {
  en: () => import('./en').then(({ en }): Texts => en),
  'pt-BR': () => import('./pt-BR').then(({ ptBR }): Texts => ptBR),
};

const CHOSEN = 'frontdesk.language';
const chosen = localStorage.getItem(CHOSEN);

/** What the person has chosen here, or the first of the browser's languages that there is; English otherwise. */
export const language: keyof typeof LOADERS =
  [...(chosen === null ? [] : [chosen]), ...navigator.languages]
    .map((tag) => (/^pt\b/i.test(tag) ? 'pt-BR' : /^en\b/i.test(tag) ? 'en' : undefined))
    .find((each) => each !== undefined) ?? 'en';

/** For Intl: the person's own variant, where it is of the language shown. */
export const locale = navigator.languages.find((tag) => tag.slice(0, 2) === language.slice(0, 2)) ?? language;

/** Shows the console in another language from now on. */
export function switchLanguage(other: keyof typeof LOADERS): void {
  localStorage.setItem(CHOSEN, other);
  location.reload();
}

export const t = await LOADERS[language]();
document.documentElement.lang = language;

/** A text by a name of the interface; undefined for names that aren't known here. */
export function textFor(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** Letters of scripts that run from right to left, and characters that change the direction. */
const OTHER_DIRECTION =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Characters without a look of their own, which make a text read as another; those that join letters and emoji are none of them. */
const INVISIBLE =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/g;

/** A caller's text with such characters by their number: `invoice\u202egpj.exe` would look like `invoiceexe.jpg`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** A caller's text within a sentence, whose order it can't change. An element of its own is a `<CallerText>`. */
export function isolated(text: string): string {
  const shown = visible(text);
  return OTHER_DIRECTION.test(shown) ? `\u2068${shown}\u2069` : shown;
}
