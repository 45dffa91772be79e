export const VERIFICATION_STATUSES = ['pending', 'verified', 'failed'] as const;

export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];
