import { Route, Switch } from "wouter";
import { BatchList } from "./batch_list.tsx";
import { BatchPage } from "./batch_page.tsx";

/** Batches: the list, and one of them. */
export default function Batches() {
  return (
    <Switch>
      <Route path="/:id">{({ id }) => <BatchPage key={id} id={id} />}</Route>
      <Route component={BatchList} />
    </Switch>
  );
}
