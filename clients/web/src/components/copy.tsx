import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { toast } from './toast.tsx';
import './styles/copy.css';

const SHOWN_MS = 2_000;

/** Copies a text with one click, and says so. `what` completes "Copy …" for screen readers. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy(): Promise<void> {
    if (await copyText(text)) setCopied(true);
  }

  return (
    <Button kind="quiet" isSmall aria-label={`Copy ${what}`} onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
    </Button>
  );
}

/** A command, or another text of one line, with a button that copies it. */
export function CommandLine({ command, label }: { command: string; label: string }) {
  return (
    <div class="row command-line">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls, also by keyboard. */}
      <pre class="grow" tabIndex={0}>
        <code>{command}</code>
      </pre>
      <CopyButton text={command} what={label} />
    </div>
  );
}

async function copyText(text: string): Promise<boolean> {
  const isCopied = await writeClipboard(text);
  if (!isCopied) toast('This browser does not let pages copy here. Select the text and copy it.', 'error');
  return isCopied;
}

/** `navigator.clipboard` is missing in pages that were loaded without TLS. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  const parent = document.querySelector('dialog[open]') ?? document.body;
  parent.append(area);
  const focused = document.activeElement;
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** Saves a file by the browser's own means. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
