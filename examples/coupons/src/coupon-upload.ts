import { AccountRecord, CreationTime, RecordField, RequestError } from 'frontdesk';
import { Column, Entity } from 'typeorm';
import { CODE, type CreateCoupon, PERCENT } from './coupon.dto';

/** A CSV of coupons that a client has sent. */
@Entity('coupon_uploads')
export class CouponUpload extends AccountRecord {
  @Column({ type: 'varchar', length: 255 })
  file_name: string;

  @Column({ type: 'int' })
  coupons: number;
}

export class CouponUploadRecord {
  @RecordField({ type: 'integer', example: 2 })
  id: number;

  @RecordField({ type: 'string', example: 'spring.csv' })
  file_name: string;

  @RecordField({ type: 'integer', example: 40, description: 'Coupons in the file.' })
  coupons: number;

  @CreationTime()
  datetime: string;
}

/** Reads lines of `code,percent`. @throws RequestError naming each bad line */
export function parseCoupons(csv: string): CreateCoupon[] {
  const lines = csv.trim().split(/\r?\n/);
  const coupons = lines.map((line) => {
    const [code, percent, ...more] = line.split(',').map((value) => value.trim());
    return { code: CODE.parse(code), percent: more.length > 0 ? undefined : PERCENT.parse(percent ?? '') };
  });
  const bad = coupons.flatMap(({ code, percent }, i) => (code === undefined || percent === undefined ? [i + 1] : []));
  if (bad.length === 0) return coupons as CreateCoupon[];
  const detail = (line: number) => `Line ${line} of the file must be a code and a percentage, such as SPRING10,10.`;
  throw new RequestError(
    bad.slice(0, 100).map((line) => ({ code: 'invalid_parameter', detail: detail(line), source: { in: 'form', name: 'file' } })),
  );
}
