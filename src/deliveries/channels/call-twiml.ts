import { escapeEntities, type Wording } from './text-fit';

/** Spoken sentences, in the same languages as the acknowledgement page. */
const SENTENCES = {
  en: {
    press: 'Press 1 to acknowledge.',
    acknowledged: 'This message is acknowledged. Nothing more of it will be sent.',
    gone: 'This message is gone. There is nothing to acknowledge.',
  },
  pt: {
    press: 'Pressione 1 para confirmar.',
    acknowledged: 'Esta mensagem está confirmada. Nada mais dela será enviado.',
    gone: 'Esta mensagem não existe mais. Não há nada a confirmar.',
  },
};
type Sentence = keyof typeof SENTENCES.en;

/**
 * Reads a message aloud twice: https://www.twilio.com/docs/voice/twiml/say. With `action`, the URL to which Twilio posts the pressed key, it
 * also says which key acknowledges the message. If none is pressed, the call ends.
 */
export function readAloud({ title, text }: Wording, language: string, action?: string): string {
  const parts = [title, text].filter((part) => part.trim()).map((part) => say(part, language));
  const spoken = [...parts, ...(action === undefined ? [] : [sentence('press', language)])].join('<Pause/>');
  const twice = `${spoken}<Pause length="2"/>${spoken}`;
  return respond(action === undefined ? twice : gather(twice, action));
}

/** Says which key acknowledges, and waits for it once more. */
export function askForKey(language: string, action: string): string {
  return respond(gather(sentence('press', language), action));
}

export function sayResult(result: Exclude<Sentence, 'press'>, language: string): string {
  return respond(sentence(result, language));
}

/** In the call's language if there is a translation, else in English with an English voice. */
function sentence(name: Sentence, language: string): string {
  const [code] = language.toLowerCase().split('-');
  return code === 'en' || code === 'pt' ? say(SENTENCES[code][name], language) : say(SENTENCES.en[name], 'en-US');
}

function say(text: string, language: string): string {
  return `<Say language="${language}">${escapeEntities(text)}</Say>`;
}

/** https://www.twilio.com/docs/voice/twiml/gather */
function gather(content: string, action: string): string {
  return `<Gather numDigits="1" action="${escapeEntities(action)}">${content}</Gather>`;
}

function respond(content: string): string {
  return `<Response>${content}</Response>`;
}
