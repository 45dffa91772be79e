import { Body, Controller, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, WriteContextOf } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import type { WriteContext } from '../platform/common/write-context';
import { NoFields, RecordId } from '../platform/http/input/fields';
import { RefusesIdempotencyKey } from '../platform/http/input/idempotency-key';
import { ActionRoute, ApiIfMatch, BulkActionRoute, ListRoute, ReadRoute, Refuses, ReportRoute } from '../platform/http/routes';
import { asData, asId, asRecord } from '../platform/http/responses';
import { DeliveriesService } from './deliveries.service';
import { DeliveryStatistics, StatisticsQuery } from './statistics.dto';
import { StatisticsService } from './statistics.service';
import { DeliveryQuery, DeliveryRecord, DeliveryWithLog, RetryCounts, RetryDeliveries } from './delivery.dto';

@ApiTags('Messages')
@Controller('api/deliveries')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly statistics: StatisticsService,
  ) {}

  @Scope('messages:read')
  @ListRoute(DeliveryRecord, 'List deliveries')
  findPage(@AccountId() accountId: number, @Query() query: DeliveryQuery) {
    return this.deliveries.findPage(accountId, query);
  }

  @Scope('messages:read')
  @ReportRoute('statistics', DeliveryStatistics, 'Count deliveries by hour or day')
  count(@AccountId() accountId: number, @Query() query: StatisticsQuery) {
    return asData(this.statistics.read(accountId, query));
  }

  @Scope('messages:read')
  @ReadRoute('delivery_id', DeliveryWithLog, 'Read a delivery with its attempts')
  find(@AccountId() accountId: number, @RecordId('delivery_id') id: number, @Res({ passthrough: true }) response: Response) {
    return asRecord(this.deliveries.find(accountId, id), response);
  }

  @Scope('messages:write')
  @ActionRoute('delivery_id', 'retry', 'Retry a failed delivery')
  @ApiIfMatch()
  @Refuses('delivery_not_failed')
  @Refuses('delivery_expired')
  retry(@WriteContextOf('DeliveriesController.retry') context: WriteContext, @RecordId('delivery_id') id: number, @Body() _: NoFields) {
    return asId(this.deliveries.retry(context, id));
  }

  @Scope('messages:write')
  @RefusesIdempotencyKey()
  @BulkActionRoute('retry', RetryCounts, 'Retry failed deliveries', 'Up to 1,000 that match every field; at least one is required.')
  retryMatching(@WriteContextOf('DeliveriesController.retryMatching') context: WriteContext, @Body() input: RetryDeliveries) {
    return asData(this.deliveries.retryMatching(context, input));
  }
}
