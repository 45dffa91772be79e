import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccountId, WriteContextOf } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import type { WriteContext } from '../common/write-context';
import { RecordId } from '../http/input/fields';
import { ReadPartRoute, SetPartRoute } from '../http/openapi/routes';
import { asData } from '../http/responses';
import { HandlerEventsRecord, SetHandlerEvents } from './event.dto';
import { Subscriptions } from './subscriptions';

/** Both paths serve everything, as those of the handlers themselves. */
@ApiTags('Notification handlers')
@Controller(['api/notification-handler', 'api/notification-handlers'])
export class HandlerEventsController {
  constructor(private readonly subscriptions: Subscriptions) {}

  @Scope('notification-handlers:read')
  @ReadPartRoute('notification_handler_id', 'events', HandlerEventsRecord, 'Read the event types of a notification handler')
  find(@AccountId() accountId: number, @RecordId('notification_handler_id') id: number) {
    return asData(this.subscriptions.find(accountId, id).then((types) => ({ types })));
  }

  @Scope('notification-handlers:write', 'events:read')
  @SetPartRoute('notification_handler_id', 'events', HandlerEventsRecord, 'Set the event types of a notification handler')
  set(
    @WriteContextOf('HandlerEventsController.set') context: WriteContext,
    @RecordId('notification_handler_id') id: number,
    @Body() { types = [] }: SetHandlerEvents,
  ) {
    return asData(this.subscriptions.set(context, id, types).then((set) => ({ types: set })));
  }
}
