// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Moves the coin in every way that leaves no mark at the top of a transaction.
contract Forwarder {
    /// Pays each recipient by an inner call.
    function pay(address payable[] calldata recipients, uint256[] calldata values) external payable {
        for (uint256 i = 0; i < recipients.length; i++) {
            (bool paid, ) = recipients[i].call{value: values[i]}("");
            require(paid, "a recipient refused");
        }
    }

    /// Pays by an inner call that is undone, inside a transaction that succeeds.
    function payAndUndo(address payable recipient, uint256 value) external payable {
        try this.payThenRevert(recipient, value) {} catch {}
    }

    function payThenRevert(address payable recipient, uint256 value) external {
        (bool paid, ) = recipient.call{value: value}("");
        require(paid, "the recipient refused");
        revert("undone on purpose");
    }

    /// A new contract pays the recipient while it is being made.
    function payFromConstructor(address payable recipient) external payable {
        new PayingConstructor{value: msg.value}(recipient);
    }

    /// A new contract ends itself and leaves its coins to the recipient.
    function payBySelfdestruct(address payable recipient) external payable {
        new Ending{value: msg.value}().end(recipient);
    }

    receive() external payable {}
}

contract PayingConstructor {
    constructor(address payable recipient) payable {
        (bool paid, ) = recipient.call{value: msg.value}("");
        require(paid, "the recipient refused");
    }
}

contract Ending {
    constructor() payable {}

    function end(address payable heir) external {
        selfdestruct(heir);
    }
}
