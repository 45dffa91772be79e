import { randomBytes, randomInt } from 'node:crypto';

/** A placeholder for the URL of the receiver. */
const url = Symbol('url');
const phone = (_mark, digits) => `+5511${digits}`;

/** The fields of each handler type; `isSecret` if a key without secrets:read must not see it. */
const TYPES = {
  email: [['email', (mark) => `${mark}@example.com`]],
  webhook: [['webhook', url, true]],
  slack: [['slack', url, true]],
  discord: [['discord', url, true]],
  telegram: [
    ['telegram', (mark) => `123456789:${mark}`, true],
    ['telegram_chat_id', (mark) => `@${mark}`],
  ],
  microsoft_teams: [['microsoft_teams', url, true]],
  twilio: [['twilio', phone]],
  twilio_call: [['twilio_call', phone]],
  whatsapp: [['whatsapp', phone]],
};

/** A form for each handler type, and its texts, which must appear nowhere else: `all`, and the `secret` ones. */
export function canaryForms({ urlOf, unusable }) {
  return [...Object.keys(TYPES).map((type) => canaryForm(type, urlOf)), ...unusable.map((each) => canaryForm('webhook', each))];
}

function canaryForm(type, urlOf) {
  const fields = TYPES[type];
  const marks = fields.map(([name, valueOf, isSecret]) => {
    const [mark, digits] = [`canary${randomBytes(8).toString('hex')}`, `9${randomInt(1e8).toString().padStart(8, '0')}`];
    return { name, value: (valueOf === url ? urlOf : valueOf)(mark, digits), needle: valueOf === phone ? digits : mark, isSecret };
  });
  return {
    type,
    form: { name: `Handler of ${type}`, type, ...Object.fromEntries(marks.map(({ name, value }) => [name, value])) },
    all: marks.map(({ needle }) => needle),
    secret: marks.filter(({ isSecret }) => isSecret).map(({ needle }) => needle),
  };
}

/** How many of the needles occur in a text or a file's bytes. */
export function countIn(haystack, needles) {
  return needles.filter((needle) => haystack.includes(needle)).length;
}
