/** Modules import their style: the build collects it. */
declare module '*.css';
