import { Component, type ComponentChild, type FunctionComponent, h } from "preact";

/** Draws a component again only when its properties change: a list that grows does not redraw its rows. */
export function memo<Props extends object>(draw: (props: Props) => ComponentChild): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const names = Object.keys(next) as (keyof Props)[];
      return names.some((name) => next[name] !== this.props[name]);
    }

    override render(props: Props) {
      return draw(props);
    }
  }
  return (props) => h(Memo, props as never);
}
