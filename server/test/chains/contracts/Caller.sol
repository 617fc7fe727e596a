// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A contract that pays with a stipend of 2,300 gas, as old ones do, and one that calls whatever it is told.
contract Caller {
    function payWithStipend(address payable to) external payable {
        bool succeeded;
        // The value brings its stipend, and nothing is added.
        assembly { succeeded := call(0, to, callvalue(), 0, 0, 0, 0) }
        require(succeeded);
    }

    /// Passes on how the call ended, and undoes nothing.
    function callOn(address to, bytes calldata order) external returns (bool succeeded) {
        (succeeded, ) = to.call(order);
    }

    receive() external payable {}
}
