import { type DescribedEvent, describeImport, plainText } from '../../src/database/events/event-text';
import { type DescribedDelivery, describeDelivery, describeMessage } from '../../src/deliveries/delivery-texts';
import { describeDomain } from '../../src/domains/domain-texts';
import { describeHandler } from '../../src/notification-handlers/notification-handlers.service';
