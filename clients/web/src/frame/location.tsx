import { type ComponentChildren, options } from 'preact';
import { useMemo } from 'preact/hooks';
import { LocationProvider, useLocation } from 'preact-iso/router';
import { PREFIX } from '../api/prefix.ts';

/** Attributes with paths of the gateway. */
const PATHS: Record<string, string> = { a: 'href', form: 'action' };

interface LocationProps {
  /** Begins the paths of this document. */
  scope: string;
  children: ComponentChildren;
}

/** Around the pages: to them, paths are those of the gateway, and only the browser sees the prefix. */
export function Location({ scope, children }: LocationProps) {
  return (
    <LocationProvider scope={new RegExp(`^${PREFIX}${scope}`)}>
      <WithoutPrefix>{children}</WithoutPrefix>
    </LocationProvider>
  );
}

function WithoutPrefix({ children }: { children: ComponentChildren }) {
  const location = useLocation();
  const own = useMemo(() => {
    const [url = '', path] = [location.url, location.path].map((one) => one.slice(PREFIX.length));
    return {
      ...location,
      url,
      path: path || '/',
      route: (to: string, replace?: boolean) => location.route(PREFIX + to, replace),
    };
  }, [location]);
  return <LocationProvider.ctx.Provider value={own}>{children}</LocationProvider.ctx.Provider>;
}

const { vnode: next } = options;
if (PREFIX !== '') {
  options.vnode = (vnode) => {
    const props = vnode.props as Record<string, unknown>;
    const name = PATHS[String(vnode.type)];
    const path = name && props[name];
    if (name && typeof path === 'string' && /^\/(?!\/)/.test(path)) props[name] = PREFIX + path;
    next?.(vnode);
  };
}
