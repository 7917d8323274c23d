/** What the sources use, and Node 20 does not have. */
Promise.withResolvers ??= function withResolvers<T>() {
  const all = {} as PromiseWithResolvers<T>;
  all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }));
  return all;
};
URL.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null);
