import { Migrations } from '../../../platform/database/migrations';
import { printNotice } from './output';
import { withServices } from './with-services';

export const migrate = withServices(
  async (app) => {
    const names = await app.get(Migrations).run();
    printNotice(names.length > 0 ? `Applied: ${names.join(', ')}.` : 'The schema is up to date.');
  },
  { keepSchema: true, modules: [] },
);
