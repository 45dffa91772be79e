import { CopyButton } from '../forms/copy-button';
import { t } from '../language/language';
import { SCOPES } from '../session/scopes';
import { useSession } from '../session/session';
import { Page } from '../shell/page';

const KEY_CREATOR_SCOPES = SCOPES.join(',');

/** Commands to run, shown if the current key may not create keys. */
export function KeyCommands() {
  const { account } = useSession().identity;
  const create = `npm run frontdesk -- keys create --account ${shellQuote(account)}`;
  return (
    <Page title={t.pages.keys}>
      <p class="lead">{t.keys.intro}</p>
      <Command title={t.keys.create} text={t.keys.createText} command={`${create} --name console`} />
      <Command title={t.keys.limited} command={`${create} --name viewer --scopes domains:read,messages:read,events:read --expires 90d`} />
      <Command title={t.keys.maker} text={t.keys.makerText} command={`${create} --name admin --scopes ${KEY_CREATOR_SCOPES}`} />
      <Command title={t.keys.list} command={`npm run frontdesk -- keys list --account ${shellQuote(account)}`} />
      <Command title={t.keys.revoke} text={t.keys.revokeText} command="npm run frontdesk -- keys revoke <number>" />
    </Page>
  );
}

/** Quotes a name for a shell. */
function shellQuote(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

function Command({ title, text, command }: { title: string; text?: string; command: string }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {text && <p class="muted">{text}</p>}
      <div class="copyable">
        <code>{command}</code>
        <CopyButton value={command} of={title} />
      </div>
    </section>
  );
}
