import { type DescribedEvent, type EventText, listOf } from '../database/events/event-text';
import type { ChannelType } from './channels';

/** What people are told of a handler's events; `handler` is null when it is gone. */
export function describeHandler(
  { type, data }: DescribedEvent,
  handler: { name: string; type: ChannelType } | null,
): EventText | undefined {
  if (type === 'notification_handler.deleted')
    return {
      title: 'Handler deleted',
      text: `${typeof data.name === 'string' ? data.name : 'A handler'} was deleted: it gets no more messages.`,
    };
  if (!handler) return undefined;
  const who = `${handler.name} (${handler.type})`;
  if (type === 'notification_handler.created') return { title: 'Handler created', text: `${who} was added: it gets messages from now on.` };
  return { title: 'Handler changed', text: `${who} was changed: ${listOf(data.changed)}.` };
}
