import { Test } from '@nestjs/testing';
import { Records } from '../database/records/records';
import { UniqueViolation } from '../database/writes/transactions';
import { DomainsService } from './domains.service';

const CHANGE = { accountId: 1, keyId: 1, requestId: 'a' };

describe('DomainsService', () => {
  const records = { insert: jest.fn(), update: jest.fn() };
  let service: DomainsService;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      providers: [DomainsService, { provide: Records, useValue: records }],
    }).compile();
    service = module.get(DomainsService);
  });

  it('gives a new domain its defaults', async () => {
    records.insert.mockResolvedValue(7);
    await expect(service.create(CHANGE, { host: 'www.example.com' })).resolves.toBe(7);
    const [, , columns] = records.insert.mock.lastCall as [unknown, unknown, object];
    expect(columns).toMatchObject({ host: 'www.example.com', scheme: 'https://', custom_index_url: '', is_enabled: true });
  });

  it('says that a host is taken', async () => {
    records.insert.mockRejectedValue(new UniqueViolation());
    await expect(service.create(CHANGE, { host: 'www.example.com' })).rejects.toThrow('This host is taken');
  });

  it('changes nothing in an update without fields', async () => {
    records.update.mockResolvedValue(7);
    await service.update(CHANGE, 7, {});
    expect(records.update).toHaveBeenCalledWith(expect.anything(), CHANGE, 7, {});
  });
});
