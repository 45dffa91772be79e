import { Command } from 'commander';
import { version } from '../../../package.json';
import { readExtensionNames } from '../../platform/config/config';
import { Extensions } from '../../platform/extensions/extensions';

interface CommandEntry {
  /** Name and arguments. */
  usage: string;
  description: string;
  load: (extensions: Extensions) => Promise<Command>;
}

/** A command's file is loaded once the command is named: most need Nest and TypeORM, which take half a second. */
const COMMANDS: readonly CommandEntry[] = [
  {
    usage: 'accounts',
    description: 'owners of records and keys',
    load: async () => (await import('./accounts.command.js')).accountsCommand(),
  },
  { usage: 'keys', description: 'API keys of accounts', load: async () => (await import('./keys.command.js')).keysCommand() },
  { usage: 'domains', description: 'custom domains', load: async () => (await import('./domains.command.js')).domainsCommand() },
  { usage: 'messages', description: 'messages of accounts', load: async () => (await import('./deliveries.command.js')).messagesCommand() },
  {
    usage: 'deliveries',
    description: 'messages sent through notification handlers',
    load: async () => (await import('./deliveries.command.js')).deliveriesCommand(),
  },
  {
    usage: 'import <collection> <file>',
    description: 'insert or update the records in a file; one bad record rejects the whole file',
    load: async (extensions) => (await import('./transfer.command.js')).importCommand(extensions),
  },
  {
    usage: 'export <collection>',
    description: "write an account's records in a format that import reads",
    load: async (extensions) => (await import('./transfer.command.js')).exportCommand(extensions),
  },
  {
    usage: 'audit',
    description: 'list changes and who made them, newest last',
    load: async () => (await import('./audit.command.js')).auditCommand(),
  },
  { usage: 'events', description: 'events of the feed', load: async () => (await import('./events.command.js')).eventsCommand() },
  {
    usage: 'secrets',
    description: "encryption keys of the handlers' settings and signing secrets",
    load: async () => (await import('./database.command.js')).secretsCommand(),
  },
  {
    usage: 'migrate',
    description: 'bring the schema up to date',
    load: async () => (await import('./database.command.js')).migrateCommand(),
  },
  {
    usage: 'restored',
    description:
      'run once after restoring a backup, before the service starts: new deliveries get ids that were never sent, and cursors of the feed expire',
    load: async () => (await import('./database.command.js')).restoredCommand(),
  },
  {
    usage: 'receive',
    description: 'print the webhooks that arrive at http://127.0.0.1:<port>, to test deliveries; needs no database',
    load: async () => (await import('./receive.command.js')).receiveCommand(),
  },
  {
    usage: 'sandbox',
    description: 'run the service for tests: nothing it sends leaves the process, and you set its clock and DNS answers',
    load: async () => (await import('./service.command.js')).sandboxCommand(),
  },
  {
    usage: 'health',
    description: 'ask the service on this machine whether it is ready; needs no database',
    load: async () => (await import('./health.command.js')).healthCommand(),
  },
  {
    usage: 'start',
    description: 'start the service; SIGTERM or SIGINT stops it',
    load: async () => (await import('./service.command.js')).startCommand(),
  },
];

/** Runs one operator command. Exits with 0, or with 1 and one line on standard error. */
export async function runCommandLine(argv: string[]): Promise<void> {
  try {
    const named = argv.slice(2).find((word) => word !== 'help' && !word.startsWith('-'));
    const names = named === 'sandbox' ? [] : readExtensionNames(); // a sandbox ignores the variables of the process
    const program = await createProgram(Extensions.load(names), (name) => name === named);
    await program.parseAsync(argv);
  } catch (error) {
    process.stderr.write(`frontdesk: ${reasonOf(error).replaceAll('\n', ' ')}\n`);
    process.exitCode = 1;
  }
}

/** Of commands that aren't loaded, the program knows name, arguments and description. */
export async function createProgram(extensions: Extensions, isLoaded: (name: string) => boolean = () => true): Promise<Command> {
  const program = new Command('frontdesk')
    .enablePositionalOptions() // for audit, which has both options and a subcommand
    .version(version, '--version', 'print the version')
    .description('Operator commands for the database in DATABASE_URL.');
  for (const { usage, description, load } of COMMANDS) {
    const [name] = usage.split(' ');
    if (isLoaded(name)) program.addCommand((await load(extensions)).description(description));
    else program.command(usage).description(description);
  }
  for (const create of extensions.list.flatMap(({ commands = [] }) => commands)) program.addCommand(create());
  return program;
}

/** When all addresses of a host fail, Node's error has a code but no message; an extension's command may throw anything. */
function reasonOf(error: unknown): string {
  const { message, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return message || code || String(error);
}
