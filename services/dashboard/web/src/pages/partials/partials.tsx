import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { Waiting } from "../../parts/states.tsx";
import { PartialList } from "./partial_list.tsx";

const PartialEditor = lazy(() => import("./partial_editor.tsx"));

/** The partials and the brand of the account, and the editor of each. */
export default function Partials() {
  return (
    <Switch>
      <Route path="/:name">
        {({ name }) => (
          <Suspense fallback={<Waiting />}>
            <PartialEditor key={name} name={name} />
          </Suspense>
        )}
      </Route>
      <Route component={PartialList} />
    </Switch>
  );
}
