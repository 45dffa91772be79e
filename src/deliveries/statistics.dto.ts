import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { TIME_BOUND } from '../platform/common/field-types';
import { IsOneOf, rule } from '../platform/http/input/rules';
import { RecordField, TimeField } from '../platform/http/record-fields';

export const STATISTICS_INTERVALS = ['hour', 'day'] as const;
export const STATISTICS_GROUPS = ['status', 'outcome', 'handler'] as const;
export const MAX_BUCKETS = 800;

export type StatisticsInterval = (typeof STATISTICS_INTERVALS)[number];
export type StatisticsGroup = (typeof STATISTICS_GROUPS)[number];

const IsTimeBound = rule('isBound', TIME_BOUND);

export class StatisticsQuery {
  @IsOptional()
  @IsTimeBound('Start, rounded down to a whole hour or day. By default, 24 hours or 30 days before `until`.')
  from?: string;

  @IsOptional()
  @IsTimeBound(
    `End, rounded up to a whole hour or day; at most ${MAX_BUCKETS} hours or days after \`from\`. By default, the end of the current one.`,
  )
  until?: string;

  @IsOptional()
  @IsOneOf(STATISTICS_INTERVALS, 'Length of a bucket.', { default: 'hour' })
  interval: StatisticsInterval = 'hour';

  @IsOptional()
  @IsOneOf(STATISTICS_GROUPS, 'What to group by.', { default: 'status' })
  group: StatisticsGroup = 'status';
}

export class StatisticsBucket {
  @TimeField('Start of the hour or day, in UTC.')
  datetime: string;

  @ApiProperty({ type: [Number], examples: [[0, 41, 1, 0]], description: 'Numbers of deliveries, in the order of `keys`.' })
  counts: number[];
}

export class DeliveryStatistics {
  @TimeField('Start of the first bucket, in UTC.')
  from: string;

  @TimeField('End of the last bucket, in UTC.')
  until: string;

  @RecordField({ type: 'string', example: 'hour', enum: [...STATISTICS_INTERVALS] })
  interval: StatisticsInterval;

  @RecordField({ type: 'string', example: 'status', enum: [...STATISTICS_GROUPS] })
  group: StatisticsGroup;

  @ApiProperty({
    type: [String],
    examples: [['pending', 'delivered', 'failed', 'cancelled']],
    description:
      'All statuses, or the outcomes or handler ids that occur. The outcome `none` stands for deliveries without an ended attempt.',
  })
  keys: string[];

  @ApiProperty({ type: [StatisticsBucket], description: 'Deliveries by creation time; empty buckets are included.' })
  buckets: StatisticsBucket[];
}
