import type { Violation } from '../http/errors/request-error';
import { CHANNEL_FIELDS, type ChannelType } from './channels';

/** The error for a non-empty field that belongs to a type other than the handler's. */
export function otherTypeDetail(name: string, value: unknown, fieldType: ChannelType, handlerType?: ChannelType): string | undefined {
  const isOther = handlerType !== undefined && handlerType !== fieldType && value !== '' && value !== undefined;
  return isOther ? `${name} belongs to the type ${fieldType}; this handler is of type ${handlerType}.` : undefined;
}

/** The errors of all such fields. */
export function otherTypeFields(changes: object, handlerType: ChannelType): Violation[] {
  const values = changes as Record<string, unknown>;
  return CHANNEL_FIELDS.flatMap(({ name, type }): Violation[] => {
    const detail = otherTypeDetail(name, values[name], type, handlerType);
    return detail ? [{ code: 'invalid_parameter', detail, source: { in: 'form', name } }] : [];
  });
}
