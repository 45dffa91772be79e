import type { Sending } from '../common/network';

export const FAULTS = ['refuse', 'reset', 'hang', 'tls'] as const;

/** How a receiver answers one request. What is left out is what the type's service answers to say yes. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  delay_ms?: number;
  /** `refuse`: no connection. `reset`: the connection ends after the request. `hang`: no answer. `tls`: the handshake fails. */
  fault?: (typeof FAULTS)[number];
}

/** Applies to requests that match all of `account`, `handler_id`, `type` and `host` that it has. */
export interface AnswerRule {
  account?: number;
  handler_id?: number;
  type?: string;
  host?: string;
  /** In turn, one for each request. */
  answers: Answer[];
  /** After the last one; by default, yes. */
  then?: Answer;
}

/** The weight of a criterion is more than that of all later ones together. */
const CRITERIA = ['handler_id', 'host', 'type', 'account'] as const;

/** How receivers answer: by the most specific rule; of two alike, by the newer. */
export class Answers {
  private rules: AnswerRule[] = [];

  add(rule: AnswerRule): void {
    this.rules.unshift({ ...rule, answers: [...rule.answers] });
    this.rules.sort((a, b) => weightOf(b) - weightOf(a));
  }

  reset(): void {
    this.rules = [];
  }

  /** Takes the next answer of the rule. */
  take({ accountId, handlerId, type }: Partial<Sending>, host: string): Answer {
    const found: Record<(typeof CRITERIA)[number], unknown> = { account: accountId, handler_id: handlerId, type, host };
    const rule = this.rules.find((each) => CRITERIA.every((name) => each[name] === undefined || each[name] === found[name]));
    return rule?.answers.shift() ?? rule?.then ?? {};
  }
}

function weightOf(rule: AnswerRule): number {
  return CRITERIA.reduce((weight, name) => 2 * weight + Number(rule[name] !== undefined), 0);
}

/** What each type's service answers when it has accepted a message; by default, 200. */
const YES = new Map<string, Answer>([
  ['discord', { status: 204 }],
  ['microsoft_teams', { status: 202 }],
  ['telegram', { body: '{"ok":true,"result":{}}', headers: { 'content-type': 'application/json' } }],
  ...['twilio', 'twilio_call', 'whatsapp'].map((type): [string, Answer] => [
    type,
    { status: 201, body: '{"sid":"SM00000000000000000000000000000000"}', headers: { 'content-type': 'application/json' } },
  ]),
]);

/** Fills in what an answer leaves out. */
export function complete(answer: Answer, type = ''): Answer & { status: number; body: string } {
  const yes = { status: 200, body: '', ...YES.get(type) };
  if (answer.status !== undefined) return { body: '', ...answer, status: answer.status };
  return { ...yes, ...answer };
}
