import { useEffect, useState } from 'preact/hooks';
import { t } from '../language/language';

/** `of` names the value for screen readers. */
export function CopyButton({ value, of }: { value: string; of: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      class="button button-small"
      aria-label={isCopied ? t.forms.copied : t.forms.copyOf(of)}
      onClick={() => void copy(value).then(setCopied)}
    >
      <span class="steady" data-longest={t.forms.copied} aria-live="polite">
        {isCopied ? t.forms.copied : t.forms.copy}
      </span>
    </button>
  );
}

/** The Clipboard API is unavailable on plain HTTP, except on localhost. */
async function copy(value: string): Promise<boolean> {
  if (navigator.clipboard as Clipboard | undefined) {
    return navigator.clipboard.writeText(value).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement('textarea');
  area.value = value;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  return isDone;
}
