import type { Link } from 'mdast';
import type { CompileContext, Extension, Handle } from 'mdast-util-from-markdown';

type Token = Parameters<Handle>[0];

/**
 * Makes links of the addresses that the syntax has found. `mdast-util-gfm-autolink-literal` also searches the finished
 * tree, recursively, and brings three packages for it.
 */
export const literalAddresses: Extension = {
  enter: {
    literalAutolink(token) {
      this.enter({ type: 'link', url: '', children: [] }, token);
    },
    literalAutolinkEmail: enterText,
    literalAutolinkHttp: enterText,
    literalAutolinkWww: enterText,
  },
  exit: {
    literalAutolink(token) {
      this.exit(token);
    },
    literalAutolinkEmail: exitText('mailto:'),
    literalAutolinkHttp: exitText(''),
    literalAutolinkWww: exitText('http://'),
  },
};

function enterText(this: CompileContext, token: Token): void {
  this.config.enter.data?.call(this, token);
}

function exitText(scheme: string): Handle {
  return function (token) {
    this.config.exit.data?.call(this, token);
    (this.stack.at(-1) as Link).url = scheme + this.sliceSerialize(token);
  };
}
