import { Test } from '@nestjs/testing';
import { Records } from '../platform/database/records/records';
import { UniqueViolation } from '../platform/database/writes/transactions';
import { RecordLimits } from '../auth/accounts/record-limits';
import { DomainsService } from './domains.service';
import { MissingVerifications } from './verification/missing-verifications';
import { VerificationTable } from './verification/verification-table';

const CONTEXT = { accountId: 1, keyId: 1, requestId: 'a' };
const OPERATOR = { accountId: 3, keyId: null, requestId: null };
const TABLE = {};

describe('DomainsService', () => {
  const records = { table: () => TABLE, insert: jest.fn(), update: jest.fn(), findAccount: jest.fn() };
  const missing = { noteCreated: jest.fn() };
  let service: DomainsService;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      providers: [
        DomainsService,
        { provide: Records, useValue: records },
        { provide: VerificationTable, useValue: {} },
        { provide: MissingVerifications, useValue: missing },
        { provide: RecordLimits, useValue: {} },
      ],
    }).compile();
    service = module.get(DomainsService);
  });

  it('returns the id of a new domain', async () => {
    records.insert.mockResolvedValue(7);
    await expect(service.create(CONTEXT, { host: 'www.example.com' })).resolves.toBe(7);
    expect(records.insert).toHaveBeenCalledWith(TABLE, CONTEXT, { host: 'www.example.com' }, expect.anything());
    expect(missing.noteCreated).toHaveBeenCalledWith(7);
  });

  it.each(['create', 'update'] as const)('reports a taken host on %s', async (method) => {
    records.insert.mockRejectedValue(new UniqueViolation());
    records.update.mockRejectedValue(new UniqueViolation());
    const input = { host: 'www.example.com' };
    const write = method === 'create' ? service.create(CONTEXT, input) : service.update(CONTEXT, 7, input);
    await expect(write).rejects.toThrow('This host is taken');
  });

  it('disables a domain as the operator, in its own account', async () => {
    records.findAccount.mockResolvedValue(3);
    records.update.mockResolvedValue(7);
    await service.setEnabled(7, false);
    expect(records.update).toHaveBeenCalledWith(TABLE, OPERATOR, 7, { is_enabled: false }, expect.any(Function));
  });
});
