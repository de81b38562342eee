import { Route, Switch } from "wouter";
import { WebhookDetail } from "./webhook_detail.tsx";
import { WebhookList } from "./webhook_list.tsx";

/** The endpoints that events are posted to. */
export default function Webhooks() {
  return (
    <Switch>
      <Route path="/:id">{({ id }) => <WebhookDetail key={id} id={id} />}</Route>
      <Route component={WebhookList} />
    </Switch>
  );
}
