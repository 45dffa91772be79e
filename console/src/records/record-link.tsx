import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { formatNumber } from '../language/times';
import { useSession } from '../session/session';
import { readName, RECORD_SOURCES } from './record-names';
import { useSeen } from './use-seen';

interface RecordNameProps {
  /** The noun in its event types, such as `domain`. */
  type: string;
  id: number;
}

/** A record's name, read once it is on the screen; its id where the name can't be read. */
export function RecordName({ type, id }: RecordNameProps) {
  const { api, may } = useSession();
  const [named, setNamed] = useState<{ key: string; name: string | undefined }>();
  const source = RECORD_SOURCES[type];
  const key = `${type} ${id}`;
  const mayRead = source?.read !== undefined && may(source.scope);
  const placeholder = useRef<HTMLSpanElement>(null);
  const isSeen = useSeen(placeholder);
  useEffect(() => {
    let isWanted = mayRead && isSeen;
    if (isWanted) void readName(api, type, id).then((name) => isWanted && setNamed({ key, name }));
    return () => {
      isWanted = false;
    };
  }, [api, key, mayRead, isSeen]);
  const numbered = `${t.records[type as keyof typeof t.records] ?? type} ${formatNumber(id)}`;
  if (mayRead && named?.key !== key)
    return (
      <span ref={placeholder} class={isSeen ? 'skeleton skeleton-name' : 'skeleton-name'}>
        <span class="visually-hidden">{numbered}</span>
      </span>
    );
  return <CallerText text={(mayRead && named?.name) || numbered} />;
}

/** Links to the record's page, if it has one that the key may see. */
export function RecordLink({ type, id }: RecordNameProps) {
  const { may } = useSession();
  const source = RECORD_SOURCES[type];
  if (!source || !may(source.scope)) return <RecordName type={type} id={id} />;
  return (
    <Link href={`${source.path}/${id}`}>
      <RecordName type={type} id={id} />
    </Link>
  );
}
