import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { RequestError } from '../platform/common/errors';
import type { FieldType } from '../platform/common/field-types';
import { SECOND_MS, timestamp } from '../platform/common/time';
import type { WriteContext } from '../platform/common/write-context';
import { Config } from '../platform/config/config';
import { logAuditedEvent } from '../platform/database/events/event-log';
import { Dialect, type SqlExecutor, type SqlReader } from '../platform/database/dialect';
import { type Transaction, type TransactionHandle, WriteExecutor } from '../platform/database/writes/transactions';
import { EnabledHandlers } from '../notification-handlers/enabled-handlers';
import { type StepRecipient, Enqueuer } from '../deliveries/queue/enqueuer';
import {
  type CreateMessage,
  type LaterStep,
  DEFAULT_DEDUP_SECONDS,
  MAX_TEXT,
  MAX_TITLE,
  STEPS,
  TEXT,
  TITLE,
  URL_OR_EMPTY,
  violationsIn,
} from './message.dto';
import { foldContent } from './message.entity';

export const MAX_RECIPIENTS = 1_000;
const NO_PUBLIC_URL = 'Acknowledgement links need PUBLIC_URL, which the operator of this service has not set.';

const INSERT = `INSERT INTO messages (account_id, title, text, url, traceparent, event, send_at, expires_at, until, datetime, content_folded)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const INSERT_KEY = 'INSERT INTO message_keys (key_hash, account_id, message_id, until) VALUES (?, ?, 0, 0)';
const FIND_KEY = 'SELECT message_id, until FROM message_keys WHERE key_hash = ?';
const ASSIGN_KEY = 'UPDATE message_keys SET message_id = ?, until = ? WHERE key_hash = ?';
/** Counts no repeat of an acknowledged message: the next outage gets a new message. */
const COUNT_REPEAT = 'UPDATE messages SET repeats = repeats + 1 WHERE id = ? AND account_id = ? AND acknowledged IS NULL';

/**
 * `repeated`: `messageId` is that of an earlier message with the same `dedup_key`; its `repeats` was incremented. `no_handlers`: no
 * handler, or none of those named, is enabled. `too_many_handlers`: more than 1,000. In each case, no message was created.
 */
export type SendResult =
  | { messageId: number; deliveries: number; reason?: 'repeated' }
  | { messageId: null; deliveries: 0; reason: 'no_handlers' | 'too_many_handlers' };

/** An event that a message reports. */
export interface ReportedEvent {
  /** `evt_…`: the `webhook-id` of the message. */
  id: string;
  /** The body that a webhook gets; null for other types. */
  body: string | null;
  /** Whether the message has been counted toward the daily limit. */
  isCounted: boolean;
}

/** Sends an account's messages, for the API and for other areas. */
@Injectable()
export class MessageSender {
  constructor(
    private readonly handlers: EnabledHandlers,
    private readonly enqueuer: Enqueuer,
    private readonly executor: WriteExecutor,
    private readonly dialect: Dialect,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Writes a message in the caller's transaction: its commit sends the message, a rollback discards it. Uses every enabled handler of
   * the account, or those in `handler_ids`. Call it last: it locks rows that deliveries need.
   * @throws Error outside a transaction, and for fields that `POST /api/messages` would refuse
   */
  async send(handle: TransactionHandle, context: WriteContext, message: CreateMessage): Promise<SendResult> {
    const { title = '', text, url = '' } = message;
    const texts = { title: validate('title', TITLE, title), text: validate('text', TEXT, text), url: validate('url', URL_OR_EMPTY, url) };
    const checked = { ...message, ...texts };
    if (message.steps) validate('steps', STEPS, formatSteps(message.steps));
    const [violation] = violationsIn(message, this.clock.now());
    if (violation) throw new Error(violation.detail);
    return this.sendChecked(await this.executor.transactionOf(handle), context, checked);
  }

  /** Like `send`, for a message whose fields have been checked. `checkRecipients` throws if it refuses the recipients. */
  async sendChecked(
    statements: Transaction,
    context: WriteContext,
    message: CreateMessage,
    checkRecipients?: (recipients: readonly StepRecipient[]) => void,
  ): Promise<SendResult> {
    const repeated = await this.findRepeated(statements, context.accountId, message);
    if (repeated !== undefined) return { messageId: repeated, deliveries: 0, reason: 'repeated' };
    const recipients = await this.findRecipients(statements, context.accountId, message);
    checkRecipients?.(recipients);
    if (recipients.length === 0) return { messageId: null, deliveries: 0, reason: 'no_handlers' };
    if (recipients.length > MAX_RECIPIENTS) return { messageId: null, deliveries: 0, reason: 'too_many_handlers' };
    return { messageId: await this.write(statements, context, message, recipients), deliveries: recipients.length };
  }

  /**
   * Finds the earlier message that this one repeats, and increments its `repeats`. Locks the `dedup_key` until the transaction ends, so
   * that of several concurrent messages, only the first is created.
   */
  private async findRepeated(statements: SqlExecutor, accountId: number, { dedup_key: key }: CreateMessage): Promise<number | undefined> {
    if (key === undefined) return undefined;
    const hash = hashOf(accountId, key);
    await statements.write(`${INSERT_KEY} ${this.dialect.sql.upsertPrefix('key_hash')} message_id = message_id`, [hash, accountId]);
    const [[messageId, until]] = await statements.read<[messageId: number, until: number]>(FIND_KEY, [hash]);
    if (until <= this.clock.now()) return undefined;
    const { affected } = await statements.write(COUNT_REPEAT, [messageId, accountId]);
    return affected === 1 ? messageId : undefined;
  }

  /**
   * Finds the enabled handlers of each step; for the first step, all of the account's unless `handler_ids` names some. Reads one more
   * than MAX_RECIPIENTS, to detect too many.
   */
  private async findRecipients(reader: SqlReader, accountId: number, { handler_ids, steps = [] }: CreateMessage): Promise<StepRecipient[]> {
    const namedIds = handler_ids && [...new Set([...handler_ids, ...steps.flatMap(({ handlerIds }) => handlerIds)])];
    const enabled = namedIds?.length === 0 ? [] : await this.handlers.find(reader, accountId, MAX_RECIPIENTS + 1, namedIds);
    const enabledAmong = (ids: readonly number[]) => enabled.filter(({ handlerId }) => ids.includes(handlerId));
    const later = steps.flatMap(({ seconds, handlerIds }, index) =>
      enabledAmong(handlerIds).map((recipient): StepRecipient => ({ ...recipient, step: { number: index + 1, seconds } })),
    );
    return [...(handler_ids ? enabledAmong(handler_ids) : enabled), ...later];
  }

  /**
   * Writes a message that has been checked, to be sent once the transaction has committed. Returns its id. A message that reports an
   * event causes no event: that would loop. @throws RequestError 409 public_url_missing
   */
  async write(
    statements: Transaction,
    context: WriteContext,
    message: CreateMessage,
    recipients: readonly StepRecipient[],
    event?: ReportedEvent,
  ): Promise<number> {
    const { accountId, traceparent = null } = context;
    const { title = '', text, url = '', send_at, expires_at } = message;
    const until = message.until ?? (message.steps ? 'acknowledged' : null);
    if (until === 'acknowledged' && this.config.lacksPublicUrl) throw RequestError.of('public_url_missing', NO_PUBLIC_URL);
    const [sendAt, expiresAt] = [send_at?.getTime() ?? null, expires_at?.getTime() ?? null];
    const now = this.clock.now();
    const content = foldContent({ title, text });
    const values = [accountId, title, text, url, traceparent, event?.body ?? null, sendAt, expiresAt, until, timestamp(now), content];
    const { id } = await statements.write(INSERT, values);
    await this.assignKey(statements, accountId, id, message);
    if (!event) await logAuditedEvent(statements, context, { action: 'create', record: 'message', recordId: id });
    const queued = { accountId, messageId: id, eventId: event?.id ?? null, sendAt, expiresAt, until, isCounted: event?.isCounted ?? false };
    await this.enqueuer.enqueue(statements, queued, recipients, now);
    await statements.changed(accountId, { messages: { inserted: 1 }, deliveries: { inserted: recipients.length } });
    return id;
  }

  /** Assigns the `dedup_key` to a new message, which later messages with this key repeat. */
  private async assignKey(statements: SqlExecutor, accountId: number, messageId: number, message: CreateMessage): Promise<void> {
    const { dedup_key: key, dedup_seconds: seconds = DEFAULT_DEDUP_SECONDS } = message;
    if (key === undefined) return;
    await statements.write(ASSIGN_KEY, [messageId, this.clock.now() + seconds * SECOND_MS, hashOf(accountId, key)]);
  }
}

/** Formats steps like the form field `steps`. */
function formatSteps(steps: readonly LaterStep[]): string {
  return steps.map(({ seconds, handlerIds }) => `${seconds}:${handlerIds.join(',')}`).join(';');
}

function validate<T>(name: string, type: FieldType<T>, value: string): T {
  const parsed = type.parse(value);
  if (parsed === undefined) throw new Error(`The ${name} of a message must be ${type.expected}.`);
  return parsed;
}

/**
 * Shortens title and text to the lengths that `POST /api/messages` accepts, and drops a URL that it refuses.
 * @throws Error for a title or text that it refuses at any length, such as one with control characters
 */
export function fitMessage({ title, text, url = '' }: { title: string; text: string; url?: string }) {
  const [shortTitle, shortText] = [validate('title', TITLE, shorten(title, MAX_TITLE)), validate('text', TEXT, shorten(text, MAX_TEXT))];
  return { title: shortTitle, text: shortText, url: URL_OR_EMPTY.parse(url) ?? '' };
}

function shorten(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

function hashOf(accountId: number, key: string): string {
  return createHash('sha256').update(`${accountId} ${key}`).digest('hex');
}
