import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { MessageSender, fitMessage } from '../../messages/message-sender';
import { Clock } from '../../platform/common/clock';
import { operatorContext } from '../../platform/common/write-context';
import { Dialect } from '../../platform/database/dialect';
import type { Transaction } from '../../platform/database/writes/transactions';
import type { LogState } from '../../platform/database/events/event-numbers';
import { type DescribedEvent, type EventText, fieldList } from '../../platform/database/events/event-types';
import { ThrottledLog } from '../../platform/observability/logging';
import { EventPresenter, type EventRow } from '../event-presenter';
import type { EventRecord } from '../event.dto';
import { EventSources } from '../event-sources';
import type { Subscription } from './subscriptions';

/** How long an extension may take to describe an event; after that, a plain text is sent. */
const DESCRIBE_TIMEOUT_MS = 5_000;
/** Fits MySQL's type TEXT, of 65,535 bytes. */
const MAX_BODY_BYTES = 60_000;

/** An event with its text and recipients. */
export interface Dispatch {
  row: EventRow;
  event: EventRecord;
  text: EventText;
  recipients: Subscription[];
}

/** Turns events into messages. */
@Injectable()
export class EventMessages {
  private readonly warning: ThrottledLog;

  constructor(
    private readonly dialect: Dialect,
    private readonly presenter: EventPresenter,
    private readonly sources: EventSources,
    private readonly messages: MessageSender,
    clock: Clock,
  ) {
    this.warning = new ThrottledLog(new Logger(EventMessages.name), clock);
  }

  /** Presents the events that have recipients, with their current records. Secrets are always masked. */
  async prepare(
    accountId: number,
    state: LogState,
    rows: readonly EventRow[],
    recipientsOf: (row: EventRow) => Subscription[],
  ): Promise<Dispatch[]> {
    const wanted = rows.filter((row) => recipientsOf(row).length > 0);
    const events = await this.present(accountId, state, wanted);
    return Promise.all(
      events.map(async (event, index) => {
        const text = await this.describe(wanted[index].record, event, accountId);
        return { row: wanted[index], event, text, recipients: recipientsOf(wanted[index]) };
      }),
    );
  }

  /** Writes a message per event and recipient in the caller's transaction. `isCounted`: the caller counts them toward the daily limit. */
  async write(transaction: Transaction, accountId: number, dispatches: readonly Dispatch[], isCounted = false): Promise<void> {
    for (const { event, text, recipients } of dispatches) {
      for (const recipient of recipients) {
        const reported = { id: event.id, body: recipient.channel === 'webhook' ? webhookBody(event) : null, isCounted };
        await this.messages.write(transaction, operatorContext(accountId), text, [{ ...recipient, type: recipient.channel }], reported);
      }
    }
  }

  /** Omits a record that can't be read, for example because its encryption key is missing, so that other events aren't held up. */
  private async present(accountId: number, state: LogState, rows: readonly EventRow[]): Promise<EventRecord[]> {
    try {
      return await this.presenter.present(state, rows, { accountId, mayRead: () => false });
    } catch (error) {
      this.ignoreFault(error);
      if (rows.length > 1) return (await Promise.all(rows.map((row) => this.present(accountId, state, [row])))).flat();
      return (await this.presenter.present(state, rows)).map((event) => ({ ...event, current: null }));
    }
  }

  private async describe(noun: string, event: EventRecord, accountId: number): Promise<EventText> {
    if (!event.record) return describeImport(event.data);
    try {
      const options = this.sources.tableOf(noun)?.options;
      const described = options?.describeEvent?.(event, event.current ?? null, accountId);
      const text = await Promise.race([described, sleep(DESCRIBE_TIMEOUT_MS, undefined, { ref: false })]);
      return text ? fitMessage(text) : plainText(event);
    } catch (error) {
      this.ignoreFault(error);
      return plainText(event);
    }
  }

  /** @throws the error, if the database is unavailable: the batch is tried again */
  private ignoreFault(error: unknown): void {
    if (this.dialect.isUnavailable(error)) throw error;
    this.warning.log({ message: 'Because of an error, handlers are notified of an event without its details.', err: error }, 'plain');
  }
}

/** The body of a webhook; omits the current record if it would make the body too large. */
function webhookBody({ current, ...event }: EventRecord): string {
  const envelope = (data: object) => JSON.stringify({ type: event.type, timestamp: `${event.datetime.replace(' ', 'T')}Z`, data });
  const body = envelope({ ...event, current });
  return Buffer.byteLength(body) <= MAX_BODY_BYTES ? body : envelope({ ...event, current: null });
}

/** `Coupon updated`: `The coupon 7 was updated: code, value.` */
export function plainText({ type, record, data }: DescribedEvent): EventText {
  const [noun, verb] = type.split('.').map((part) => part.replaceAll('_', ' '));
  const { name, changed } = data;
  const which = typeof name === 'string' ? ` "${name}"` : record ? ` ${record.id}` : '';
  const what = Array.isArray(changed) && changed.length > 0 ? `: ${fieldList(changed)}` : '';
  return { title: `${noun[0].toUpperCase()}${noun.slice(1)} ${verb}`, text: `The ${noun}${which} was ${verb}${what}.` };
}

/** `Import completed`: `Records of agendamentos were imported: 40 inserted, 2 updated, 0 bad.` */
export function describeImport({ collection, inserted, updated, bad }: Readonly<Record<string, unknown>>): EventText {
  const counts = `${Number(inserted)} inserted, ${Number(updated)} updated, ${Number(bad)} bad`;
  return { title: 'Import completed', text: `Records of ${String(collection)} were imported: ${counts}.` };
}
