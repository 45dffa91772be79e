export const STATUSES = ['pending', 'verified', 'failed'] as const;

export type VerificationStatus = (typeof STATUSES)[number];
