import { Injectable } from '@nestjs/common';
import { getSchemaPath, type SchemaObject } from '@nestjs/swagger';
import type { Schemas } from '../platform/http/openapi/schemas';
import { varyBy } from '../platform/http/openapi/varies-by';
import { EventRecord } from './event.dto';
import { eventNoun, EventSources } from './event-sources';

const CURRENT_DESCRIPTION = 'With `include=record`: the record as it can be read with this key now; null once it is deleted.';
const ID_SCHEMA = { type: 'integer', examples: [7] };
const COUNT_SCHEMA = { type: 'integer', examples: [12] };
/** Fields in an event's data, by noun. */
const DATA_FIELDS: Record<string, string[] | undefined> = { delivery: ['message_id', 'handler_id', 'outcome'], key: ['name'] };

/** Documents events as a union by type; extensions' events are variants of it. */
@Injectable()
export class EventSchemas {
  constructor(private readonly sources: EventSources) {}

  describe(schemas: Schemas): void {
    const event = schemas[EventRecord.name] as SchemaObject;
    const [record, data, current]: Record<string, object>[] = [{}, {}, {}];
    for (const { type, action, source } of this.sources.kinds) {
      const recordRef = source && { $ref: getSchemaPath(source.responseClass) };
      record[type] = source ? eventSchemaRef(eventNoun(source.noun)) : { ...ANY_TYPE, type: 'null', examples: [null] };
      data[type] = dataSchema(action, source?.noun, source && (schemas[source.responseClass.name] as SchemaObject | undefined));
      current[type] = {
        ...ANY_TYPE,
        ...(recordRef ? { anyOf: [recordRef, { type: 'null' }] } : { type: 'null' }),
        description: CURRENT_DESCRIPTION,
      };
    }
    Object.assign(event.properties!.type, { enum: this.sources.types });
    varyBy(event, 'type', { record, data, current });
  }
}

/** Clears these keywords of the class's schema, which covers every type. */
const ANY_TYPE = { type: undefined, additionalProperties: undefined };

function eventSchemaRef(noun: string): object {
  return objectSchema({ type: { type: 'string', enum: [noun], examples: [noun] }, id: ID_SCHEMA });
}

function dataSchema(action: string, noun?: string, record?: SchemaObject): object {
  const own = (names: readonly string[]) => objectSchema(pick(record?.properties ?? {}, names));
  switch (action) {
    case 'update':
      return objectSchema({
        changed: { type: 'array', items: { type: 'string' }, examples: [['is_enabled']], description: 'Names of fields.' },
      });
    case 'delete':
      return own('host' in (record?.properties ?? {}) ? ['host'] : ['name']);
    case 'certificate':
      return objectSchema({
        problem: { type: ['string', 'null'], examples: ['certificate_missing'], description: 'Null once the problem is solved.' },
      });
    case 'receipt':
      return objectSchema({ status: { type: 'string', examples: ['delivered'] }, code: { type: ['integer', 'null'], examples: [null] } });
    case 'complete':
      return objectSchema({
        collection: { type: 'string', examples: ['agendamentos'] },
        inserted: COUNT_SCHEMA,
        updated: COUNT_SCHEMA,
        bad: COUNT_SCHEMA,
      });
    default:
      return own(DATA_FIELDS[noun ?? ''] ?? []);
  }
}

function pick<T>(properties: Record<string, T>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));
}

function objectSchema(properties: Record<string, object>): object {
  const names = Object.keys(properties);
  return { ...ANY_TYPE, type: 'object', ...(names.length > 0 && { required: names, properties }) };
}
