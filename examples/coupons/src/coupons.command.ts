import { Command } from 'commander';
import { findAccountId, operatorContext, printNotice, withServices } from 'frontdesk';
import { CouponsService } from './coupons.service';

export function couponsCommand(): Command {
  const coupons = new Command('coupons').description('coupons of an account');
  coupons
    .command('expire')
    .argument('<code>', 'as the customer enters it')
    .requiredOption('--account <name>', 'account of the coupon')
    .description('end a coupon now')
    .action(
      withServices(async (app, code: string, { account }: { account: string }) => {
        await app.get(CouponsService).expire(operatorContext(await findAccountId(app, account)), code);
        printNotice(`Expired ${code}.`);
      }),
    );
  return coupons;
}
