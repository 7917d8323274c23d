import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso/router';

interface ValidPathProps {
  /** In the place of the pages, at an address whose path is not encoded well. */
  otherwise: ComponentChildren;
  children: ComponentChildren;
}

/** Around a router, which throws at such an address. */
export function ValidPath({ otherwise, children }: ValidPathProps) {
  const { path } = useLocation();
  return <>{isEncoded(path) ? children : otherwise}</>;
}

function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
