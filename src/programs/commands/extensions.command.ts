import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { AppliedExtensions } from '../../platform/extensions/applied-extensions';
import { Extensions } from '../../platform/extensions/extensions';
import { countOf, JSON_OPTION, type JsonOption, printList, printNotice, withServices } from './action';

export function extensionsCommand(): Command {
  const extensions = new Command('extensions');
  extensions
    .command('list')
    .description('list the extensions that are loaded or have tables in the database')
    .addOption(JSON_OPTION)
    .action(withServices(list, { keepSchema: true }));
  extensions
    .command('forget')
    .argument('<name>', 'name from extensions list')
    .description('let the service start without an extension; its tables and rows stay in the database')
    .action(withServices(forget, { keepSchema: true }));
  return extensions;
}

async function list(app: INestApplicationContext, { json }: JsonOption): Promise<void> {
  const loaded = app.get(Extensions).list.map(({ name }) => name);
  const applied = new Map((await app.get(AppliedExtensions).findAll()).map((each) => [each.name, each]));
  const rows = [...new Set([...loaded, ...applied.keys()])].sort().map((name) => ({
    name,
    loaded: loaded.includes(name),
    applied: applied.get(name)?.datetime ?? null,
    tables: applied.get(name)?.parts.tables ?? [],
  }));
  printList(rows, json);
}

async function forget(app: INestApplicationContext, name: string): Promise<void> {
  const { tables, migrations } = await app.get(AppliedExtensions).forget(name);
  const kept = [
    ...tables.map((table) => `the table ${table}`),
    ...(migrations.length > 0 ? [countOf(migrations.length, 'migration')] : []),
  ];
  printNotice(`Forgot ${name}. Still in the database: ${kept.join(', ')}, audit entries, and the scopes of keys.`);
}
