const FIELDS = 'frontdesk:record-fields';

/** Appends a field to a record class. */
export function addRecordField(prototype: object, name: string): void {
  Reflect.defineMetadata(FIELDS, [...fieldsOf(prototype), name], prototype);
}

/** The fields of a record class, in declaration order. */
export function recordFields(record: { prototype: unknown }): readonly string[] {
  return fieldsOf(record.prototype as object);
}

function fieldsOf(prototype: object): readonly string[] {
  return (Reflect.getMetadata(FIELDS, prototype) as string[] | undefined) ?? [];
}
