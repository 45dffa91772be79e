import type { Texts } from './en';

const LOADERS = {
  en: () => import('./en').then(({ en }): Texts => en),
  'pt-BR': () => import('./pt-BR').then(({ ptBR }): Texts => ptBR),
};

/** The first of the browser's languages that there is; English otherwise. */
export const language: keyof typeof LOADERS =
  navigator.languages
    .map((tag) => (/^pt\b/i.test(tag) ? 'pt-BR' : /^en\b/i.test(tag) ? 'en' : undefined))
    .find((each) => each !== undefined) ?? 'en';

/** For Intl: the person's own variant, where it is of the language shown. */
export const locale = navigator.languages.find((tag) => tag.slice(0, 2) === language.slice(0, 2)) ?? language;

export const t = await LOADERS[language]();
document.documentElement.lang = language;
