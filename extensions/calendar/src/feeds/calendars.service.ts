import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Dialect } from 'frontdesk';
import type { Language } from './calendar-feed.dto';
import { hashToken, isToken } from './tokens';

/** A calendar feed, found by its address. */
export interface Calendar {
  id: number;
  accountId: number;
  name: string;
  /** Null for all. */
  atendenteId: number | null;
  servicoId: number | null;
  /** In minutes. */
  duration: number;
  timezone: string;
  language: Language;
  hidesNames: boolean;
  state: number;
}

type Row = [
  id: number,
  accountId: number,
  name: string,
  atendenteId: number | null,
  servicoId: number | null,
  duration: number,
  timezone: string,
  language: Language,
  hidesNames: number,
  state: number,
  hash: string,
];

/** While an account is disabled, its calendars are not found, like its keys. */
const FIND_CALENDAR = `SELECT f.id, f.account_id, f.name, f.atendente_id, f.servico_id, f.duration, f.timezone, f.language, f.hide_names, f.state, f.token_hash
  FROM calendar_feeds f JOIN accounts a ON a.id = f.account_id WHERE f.token_hash = ? AND a.disabled_datetime IS NULL`;

@Injectable()
export class CalendarsService {
  constructor(private readonly dialect: Dialect) {}

  async find(token: string): Promise<Calendar | undefined> {
    if (!isToken(token)) return undefined;
    const sent = hashToken(token);
    const [row] = await this.dialect.read<Row>(FIND_CALENDAR, [sent]);
    if (!row) return undefined;
    const [id, accountId, name, atendenteId, servicoId, duration, timezone, language, hidesNames, state, hash] = row;
    if (!timingSafeEqual(Buffer.from(hash), Buffer.from(sent))) return undefined;
    return { id, accountId, name, atendenteId, servicoId, duration, timezone, language, hidesNames: hidesNames === 1, state };
  }
}
