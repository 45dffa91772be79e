export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
