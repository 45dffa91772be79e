import { fold, NOW, type RecordColumn, type RecordColumns, TIME } from 'frontdesk';
import { CODE, MAX_REDEMPTIONS, PERCENT } from './coupon.dto';

const REDEEMED = { expected: 'a count', parse: (value: string) => (/^\d{1,7}$/.test(value) ? Number(value) : undefined) };

const COLUMNS: RecordColumn[] = [
  { name: 'code', type: CODE, fold },
  { name: 'percent', type: PERCENT, json: 'number' },
  { name: 'max_redemptions', type: MAX_REDEMPTIONS, json: 'number', fallback: 1 },
  { name: 'redeemed', type: REDEEMED, json: 'number', fallback: 0 },
  { name: 'valid_until', type: TIME, fallback: null },
  { name: 'last_datetime', type: TIME, fallback: null, isUpdateTime: true },
  { name: 'datetime', type: TIME, fallback: NOW },
];

/** Columns of a file of coupons. */
export const COUPON_COLUMNS: RecordColumns = {
  name: 'coupons',
  id: { name: 'id', column: 'id' },
  fields: ['id', ...COLUMNS.map(({ name }) => name)],
  columns: COLUMNS,
};
