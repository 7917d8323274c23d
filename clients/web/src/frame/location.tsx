import { type ComponentChildren, options } from 'preact';
import { useMemo } from 'preact/hooks';
import { LocationProvider, useLocation } from 'preact-iso/router';
import { PREFIX } from '../api/prefix.ts';

/** Around pages whose paths begin with `scope`. They see the paths of the gateway, the browser has the prefix. */
export function Location({ scope, children }: { scope: string; children: ComponentChildren }) {
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
    const name = vnode.type === 'a' ? 'href' : 'action';
    const isPath = typeof vnode.type === 'string' && /^\/(?!\/)/.test(String(props[name]));
    if (isPath) props[name] = `${PREFIX}${props[name]}`;
    next?.(vnode);
  };
}
