import { excerpt } from '../deliveries/delivery-texts';
import type { EventText } from '../platform/database/events/event-types';
import type { Message } from './message.entity';

type DescribedMessage = Pick<Message, 'title' | 'text' | 'url'>;

/** Describes a message's creation, for people; `count` is the number of its deliveries. */
export function describeMessage({ title, text, url }: DescribedMessage, count: number): EventText {
  return { title: 'Message sent', text: `"${excerpt(title || text)}" was sent through ${count} handler${count === 1 ? '' : 's'}.`, url };
}

export function describeCancellation({ title, text, url }: DescribedMessage): EventText {
  return { title: 'Message cancelled', text: `"${excerpt(title || text)}" was cancelled. Nothing more of it will be sent.`, url };
}

export function describeAcknowledgement({ title, text, url }: DescribedMessage): EventText {
  return { title: 'Message acknowledged', text: `"${excerpt(title || text)}" was acknowledged. Nothing more of it will be sent.`, url };
}
