/* chain.c - see chain.h. */
#include "state/chain.h"

void chain_join(struct chain *chain, struct chain_link *link) {
    chain_leave(link);
    *link = (struct chain_link){.chain = chain, .before = chain->last};
    *(chain->last ? &chain->last->after : &chain->first) = link;
    chain->last = link;
    chain->count++;
}

void chain_leave(struct chain_link *link) {
    struct chain *chain = link->chain;
    if (!chain)
        return;
    *(link->before ? &link->before->after : &chain->first) = link->after;
    *(link->after ? &link->after->before : &chain->last) = link->before;
    chain->count--;
    link->chain = NULL;
}

void chain_part(struct chain *chain) {
    while (chain->first)
        chain_leave(chain->first);
}
