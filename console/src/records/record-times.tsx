import { Time } from '../language/times';

interface RecordTimesProps {
  record: { datetime: string; last_datetime: string | null };
  /** Labels, which agree with the record's name in some languages. */
  created: string;
  changed: string;
}

/** Rows of a `<dl>`: when a record was created, and when it last changed. */
export function RecordTimes({ record: { datetime, last_datetime }, created, changed }: RecordTimesProps) {
  return (
    <>
      <dt>{created}</dt>
      <dd>
        <Time value={datetime} />
      </dd>
      {last_datetime !== null && (
        <>
          <dt>{changed}</dt>
          <dd>
            <Time value={last_datetime} />
          </dd>
        </>
      )}
    </>
  );
}
